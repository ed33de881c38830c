//! Manifests are declared, changed and withdrawn.

use antfarm_client::Page;
use antfarm_model::document::ManifestDocument;
use antfarm_model::{CostClass, Manifest, Name};

use crate::cluster::{Cluster, refused};

#[tokio::test]
async fn a_manifest_is_declared_changed_and_withdrawn() {
    let cluster = Cluster::of(1, &[]).await;
    let client = cluster.client();
    let mut manifest = ManifestDocument::from(&Manifest::new(Name::new("score").expect("a name"), CostClass::Model));
    assert_eq!(client.put_tool(&manifest).await, Ok(manifest.clone()));
    manifest.retries = 7;
    assert_eq!(client.put_tool(&manifest).await, Ok(manifest.clone()));
    assert_eq!(client.tool("score").await, Ok(manifest.clone()));
    let page = Page { after: Some("echo".into()), ..Page::first() };
    let later = client.tools(&page).await.expect("it is answered").tools;
    assert!(later.contains(&manifest) && later.iter().all(|tool| tool.name.as_str() > "echo"));
    client.delete_tool("score").await.expect("nothing uses it");
    assert!(client.tool("score").await.is_err_and(|error| error.is_not_found()));
}

#[tokio::test]
async fn a_tool_in_use_cannot_be_withdrawn() {
    let cluster = Cluster::of(1, &[]).await;
    cluster.submit("g").await;
    let problem = refused(cluster.client().delete_tool("echo").await).expect_err("a graph uses it");
    assert_eq!(problem.status, 409);
}
