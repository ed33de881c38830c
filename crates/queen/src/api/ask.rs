//! What requests say beside their path: typed queries, typed bodies, pages.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// Things on a page, unless the request says another number.
const DEFAULT_LIMIT: usize = 100;

/// The most things on a page.
const MAX_LIMIT: usize = 1_000;

/// The query of a request, as a type with `deny_unknown_fields`.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(query)) => Ok(Self(query)),
            Err(rejection) => Err(Problem::bad_request(format!("the query of the address: {}", rejection.body_text()))),
        }
    }
}

/// How consistent an answer must be. `leader.rs` sees to it; here it is only read, so that others are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Consistency {
    #[default]
    Linearizable,
    Stale,
}

/// A query that asks for nothing special.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plain {
    #[serde(default, rename = "consistency")]
    pub(super) _consistency: Consistency,
}

/// A query for a page.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// What the former page said is `next`.
    pub(super) after: Option<String>,
    limit: Option<usize>,
    /// Only what is in this state, where things have states.
    pub(super) state: Option<String>,
    #[serde(default, rename = "consistency")]
    _consistency: Consistency,
}

impl Page {
    /// How many things to answer with.
    pub(super) fn limit(&self) -> Result<usize, Problem> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if (1..=MAX_LIMIT).contains(&limit) {
            Ok(limit)
        } else {
            Err(Problem::bad_request(format!("limit is {limit}, and must be from 1 to {MAX_LIMIT}: ask page by page")))
        }
    }
}

/// A JSON body; an empty one is an empty object.
pub(super) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| Problem::bad_request(format!("the body: {error}")))
}

#[cfg(test)]
mod tests {
    use super::super::problem::Kind;
    use super::*;

    fn page(query: &str) -> Result<Page, String> {
        let uri = format!("/v1/graphs?{query}").parse().expect("it is an address");
        Query::try_from_uri(&uri).map(|Query(page)| page).map_err(|rejection| rejection.body_text())
    }

    #[test]
    fn a_page_has_a_default_size_and_a_greatest() {
        assert_eq!(page("").expect("fine").limit(), Ok(DEFAULT_LIMIT));
        assert_eq!(page("limit=1000&after=x").expect("fine").limit(), Ok(1_000));
        for query in ["limit=0", "limit=1001"] {
            assert_eq!(page(query).expect("fine").limit().map_err(|problem| problem.kind), Err(Kind::BadRequest));
        }
    }

    #[test]
    fn a_misspelt_query_is_refused() {
        assert!(page("limits=3").expect_err("unknown").contains("limits"));
        assert!(page("consistency=eventual").is_err());
    }
}
