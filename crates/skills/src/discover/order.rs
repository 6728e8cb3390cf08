//! Sort keys of names, close to `localeCompare` in English.
//!
//! Punctuation sorts before digits, digits before letters. Case matters only between names that are otherwise equal, lower
//! case first. Unlike in a dictionary, letters with accents sort after all plain ones.

/// ASCII in the order of the Unicode collation.
const ASCII: &[u8] = b"\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/// Returns the sort key of a name.
pub fn key(name: &str) -> Box<[u8]> {
    let mut key = Vec::with_capacity(name.len() * 2 + 1);
    for letter in name.chars().flat_map(char::to_lowercase) {
        match u8::try_from(letter).ok().and_then(rank) {
            Some(rank) => key.push(rank),
            None => {
                key.push(u8::MAX);
                key.extend(u32::from(letter).to_be_bytes());
            }
        }
    }
    // Zero is the rank of no letter, so a name sorts before longer names with the same start.
    key.push(0);
    key.extend(name.bytes().map(|byte| if byte.is_ascii_uppercase() { 2 } else { 1 }));
    key.extend(name.bytes());
    key.into()
}

fn rank(letter: u8) -> Option<u8> {
    RANKS.get(usize::from(letter)).copied().filter(|rank| *rank > 0)
}

/// The rank of each ASCII character, from 1; 0 if it has none.
const RANKS: [u8; 128] = {
    let mut ranks = [0; 128];
    let mut index = 0;
    while index < ASCII.len() {
        ranks[ASCII[index] as usize] = index as u8 + 1;
        index += 1;
    }
    ranks
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_sort_as_in_a_dictionary() {
        let sorted = "a_b a-b a.b a1 ab aB Ab abc abd Abe b B café zoo émile 技能";
        let mut names: Vec<_> = sorted.split(' ').rev().collect();
        names.sort_by_key(|name| key(name));
        assert_eq!(names.join(" "), sorted);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn only_equal_names_have_equal_keys(a in ".{0,8}", b in ".{0,8}") {
            prop_assert_eq!(key(&a) == key(&b), a == b);
        }
    }
}
