//! Maps offsets to lines and columns.

/// The offsets at which lines start.
#[derive(Debug)]
pub(crate) struct LineIndex(Vec<usize>);

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(starts).collect())
    }

    /// Counts from 1.
    pub fn line(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at).max(1)
    }

    /// Line and column, both from 1; the column counts characters.
    pub fn position(&self, text: &str, at: usize) -> (u32, u32) {
        let line = self.line(at);
        let column = text[self.0[line - 1]..at].chars().count() + 1;
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        (number(line), number(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "é x\r\nyz";
        let lines = LineIndex::new(text);
        let places = [0, 3, 6, 8].map(|at| lines.position(text, at));
        assert_eq!(places, [(1, 1), (1, 3), (2, 1), (2, 3)]);
    }
}
