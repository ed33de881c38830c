//! Tables for people: columns as wide as what stands in them.

/// A table that grows row by row.
pub(crate) struct Table {
    titles: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// Spaces between columns.
const GAP: &str = "  ";

impl Table {
    pub(crate) fn new(titles: &[&'static str]) -> Self {
        Self { titles: titles.to_vec(), rows: Vec::new() }
    }

    /// Adds a row, which has a cell for each title. Line breaks in a cell become spaces.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.titles.len(), "a row has a cell for each title");
        self.rows.push(cells.into_iter().map(|cell| cell.replace(['\n', '\r', '\t'], " ")).collect());
    }

    /// Titles and rows, left-aligned; a column whose cells are all whole numbers, right-aligned. Ends with a line break.
    pub(crate) fn render(&self) -> String {
        let columns = 0..self.titles.len();
        let widths: Vec<usize> = columns.clone().map(|column| self.width(column)).collect();
        let numeric: Vec<bool> = columns.map(|column| self.is_numeric(column)).collect();
        let titles: Vec<String> = self.titles.iter().map(|title| title.to_uppercase()).collect();
        let mut text = String::new();
        for cells in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let space = " ".repeat(widths[column] - length(cell));
                let (before, behind) = if numeric[column] { (&*space, "") } else { ("", &*space) };
                if column > 0 {
                    line.push_str(GAP);
                }
                line.extend([before, cell, behind]);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        self.rows.iter().map(|row| length(&row[column])).chain([length(self.titles[column])]).max().unwrap_or(0)
    }

    fn is_numeric(&self, column: usize) -> bool {
        let is_number = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
        let empty_or_number = |row: &Vec<String>| row[column] == "-" || is_number(&row[column]);
        self.rows.iter().any(|row| is_number(&row[column])) && self.rows.iter().all(empty_or_number)
    }
}

fn length(cell: &str) -> usize {
    cell.chars().count()
}

/// Names and values below each other, the values aligned. Ends with a line break.
pub(crate) fn fields(fields: &[(&str, String)]) -> String {
    let width = fields.iter().map(|(name, _)| length(name)).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in fields {
        let indented = value.replace('\n', &format!("\n{}", " ".repeat(width + GAP.len())));
        text.push_str(format!("{name:width$}{GAP}{indented}").trim_end());
        text.push('\n');
    }
    text
}

/// Each text with a line break behind it.
pub(crate) fn lines(texts: impl IntoIterator<Item = String>) -> String {
    let mut lines = String::new();
    for text in texts {
        lines.push_str(&text);
        lines.push('\n');
    }
    lines
}

/// At most `most` characters, with `…` for the rest.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::new(&["graph", "state", "nodes"]);
        table.row(["a".to_owned(), "succeeded".to_owned(), "7".to_owned()]);
        table.row(["nächtlich".to_owned(), "x\ny".to_owned(), "-".to_owned()]);
        table.row(["b".to_owned(), String::new(), "2122".to_owned()]);
        let expected = expect![[r"
            GRAPH      STATE      NODES
            a          succeeded      7
            nächtlich  x y            -
            b                      2122
        "]];
        expected.assert_eq(&table.render());
    }

    #[test]
    fn a_table_without_rows_shows_its_titles() {
        assert_eq!(Table::new(&["name", "pid"]).render(), "NAME  PID\n");
    }

    #[test]
    fn fields_stand_below_each_other() {
        let text = fields(&[("state", "failed".to_owned()), ("why", "one\ntwo".to_owned()), ("x", String::new())]);
        let expected = expect![[r"
            state  failed
            why    one
                   two
            x
        "]];
        expected.assert_eq(&text);
    }

    #[test]
    fn a_long_text_is_shortened() {
        assert_eq!(shortened("grün", 4), "grün");
        assert_eq!(shortened("grüner", 4), "grü…");
    }
}
