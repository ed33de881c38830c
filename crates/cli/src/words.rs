//! Numbers with the words that they count.

/// `1 node`, `2 nodes`.
pub(crate) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// `4 nodes`, and where array nodes make them more: `4 nodes, 163 instances`.
pub(crate) fn sizes(nodes: u64, instances: u64) -> String {
    let nodes_text = count(nodes, "node");
    if instances == nodes { nodes_text } else { format!("{nodes_text}, {}", count(instances, "instance")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_fits_its_word() {
        assert_eq!(sizes(1, 1), "1 node");
        assert_eq!(sizes(4, 163), "4 nodes, 163 instances");
    }
}
