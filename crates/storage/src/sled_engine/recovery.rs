//! Reading everything back when an engine is opened, and refusing what is not as it was written.

use std::collections::BTreeMap;

use crate::error::{Damage, Item, StorageError};
use crate::queued_engine::RECENT_BYTES;
use crate::sled_engine::store::SledStore;
use crate::sled_engine::value::{self, FACT_PREFIX, START_KEY, VOTE_KEY, WRITE_NUMBER_KEY};
use crate::view::View;

/// What is stored, and the number of the last write.
///
/// Records before the beginning of the log are not looked at: they were purged, and are swept up later.
pub(super) fn recover(store: &SledStore) -> Result<(View, u64), StorageError> {
    let damaged = |what| StorageError::damaged(store.folder(), what);
    let start = number(store, START_KEY)?;
    let write_number = number(store, WRITE_NUMBER_KEY)?.unwrap_or(0);
    let vote = content(store, VOTE_KEY, Item::Vote)?;
    let mut facts = BTreeMap::new();
    for entry in store.values(FACT_PREFIX) {
        let (key, stored) = entry?;
        let fact = value::fact_of(&key).ok_or_else(|| damaged(Damage::Malformed { item: Item::Fact }))?;
        facts.insert(fact, value::decode(&key, &stored, Item::Fact).map_err(damaged)?.to_vec());
    }
    let mut view = View::restored(start, vote, facts);
    for record in store.records_from(start.unwrap_or(0)) {
        let record = record?;
        let expected = view.bounds().next();
        if start.is_none() {
            return Err(damaged(Damage::Malformed { item: Item::Bookkeeping }));
        }
        if record.index != expected {
            return Err(damaged(Damage::Hole { expected, found: record.index }));
        }
        view.admit(record.payload, 0);
        view.evict(RECENT_BYTES, 0);
    }
    Ok((view, write_number))
}

fn number(store: &SledStore, key: &[u8]) -> Result<Option<u64>, StorageError> {
    let item = Item::Bookkeeping;
    let Some(content) = content(store, key, item)? else { return Ok(None) };
    let bytes = content.try_into().map_err(|_| StorageError::damaged(store.folder(), Damage::Malformed { item }))?;
    Ok(Some(u64::from_le_bytes(bytes)))
}

fn content(store: &SledStore, key: &[u8], item: Item) -> Result<Option<Vec<u8>>, StorageError> {
    let Some(stored) = store.value(key)? else { return Ok(None) };
    let content = value::decode(key, &stored, item).map_err(|what| StorageError::damaged(store.folder(), what))?;
    Ok(Some(content.to_vec()))
}
