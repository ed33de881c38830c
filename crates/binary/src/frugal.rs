//! A deserializer around another one, which asks it for borrowed texts and passes no promised lengths on.
//!
//! One wrapper stands around everything that serde hands back and forth: the deserializer, the visitor, the accesses to
//! parts, the seeds. So it is around every value, however deep it lies.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

/// Elements that a list may make room for before it has seen them.
const ELEMENTS_IN_ADVANCE: usize = 16;

/// A value that was read frugally.
pub(crate) struct Owned<T>(pub(crate) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Owned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(Frugal(deserializer)).map(Self)
    }
}

struct Frugal<X>(X);

/// Deserializer methods that are passed on under a name, with a wrapper around the visitor.
macro_rules! pass_on {
    ($($method:ident as $inner:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Self::Error> {
            self.0.$inner($($argument,)* Frugal(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Frugal<D> {
    type Error = D::Error;

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    pass_on! {
        // Borrowed, these are looked for in the input before they are copied.
        deserialize_string as deserialize_str();
        deserialize_byte_buf as deserialize_bytes();

        deserialize_any as deserialize_any();
        deserialize_bool as deserialize_bool();
        deserialize_i8 as deserialize_i8();
        deserialize_i16 as deserialize_i16();
        deserialize_i32 as deserialize_i32();
        deserialize_i64 as deserialize_i64();
        deserialize_i128 as deserialize_i128();
        deserialize_u8 as deserialize_u8();
        deserialize_u16 as deserialize_u16();
        deserialize_u32 as deserialize_u32();
        deserialize_u64 as deserialize_u64();
        deserialize_u128 as deserialize_u128();
        deserialize_f32 as deserialize_f32();
        deserialize_f64 as deserialize_f64();
        deserialize_char as deserialize_char();
        deserialize_str as deserialize_str();
        deserialize_bytes as deserialize_bytes();
        deserialize_option as deserialize_option();
        deserialize_unit as deserialize_unit();
        deserialize_unit_struct as deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct as deserialize_newtype_struct(name: &'static str);
        deserialize_seq as deserialize_seq();
        deserialize_tuple as deserialize_tuple(length: usize);
        deserialize_tuple_struct as deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map as deserialize_map();
        deserialize_struct as deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum as deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier as deserialize_identifier();
        deserialize_ignored_any as deserialize_ignored_any();
    }
}

/// Visitor methods for whole values, which are passed on as they are.
macro_rules! visit {
    ($($method:ident($type:ty);)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<Self::Value, E> {
            self.0.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Frugal<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit! {
        visit_bool(bool);
        visit_i8(i8);
        visit_i16(i16);
        visit_i32(i32);
        visit_i64(i64);
        visit_i128(i128);
        visit_u8(u8);
        visit_u16(u16);
        visit_u32(u32);
        visit_u64(u64);
        visit_u128(u128);
        visit_f32(f32);
        visit_f64(f64);
        visit_char(char);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        self.0.visit_some(Frugal(value))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        self.0.visit_newtype_struct(Frugal(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        self.0.visit_seq(Frugal(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        self.0.visit_map(Frugal(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Self::Value, A::Error> {
        self.0.visit_enum(Frugal(variant))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Frugal<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        self.0.next_element_seed(Frugal(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint().map(|length| length.min(ELEMENTS_IN_ADVANCE))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Frugal<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(Frugal(seed))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.0.next_value_seed(Frugal(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint().map(|length| length.min(ELEMENTS_IN_ADVANCE))
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Frugal<A> {
    type Error = A::Error;
    type Variant = Frugal<A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), A::Error> {
        self.0.variant_seed(Frugal(seed)).map(|(value, variant)| (value, Frugal(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Frugal<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        self.0.newtype_variant_seed(Frugal(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(length, Frugal(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Frugal(visitor))
    }
}

impl<'de, T: DeserializeSeed<'de>> DeserializeSeed<'de> for Frugal<T> {
    type Value = T::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Value, D::Error> {
        self.0.deserialize(Frugal(deserializer))
    }
}
