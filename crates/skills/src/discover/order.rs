//! The order of names in lists: nearly that of a dictionary (`localeCompare` in English).
//!
//! Signs come before digits, digits before letters, and case counts only between names that are otherwise equal,
//! lower case first. Not as in a dictionary: letters with accents come after all plain ones.

/// ASCII in the order of the Unicode collation.
const ASCII: &[u8] = b"\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/// Bytes that compare as the names do.
pub fn key(name: &str) -> Box<[u8]> {
    let mut key = Vec::with_capacity(name.len() * 2 + 1);
    for letter in name.chars().flat_map(char::to_lowercase) {
        match u8::try_from(letter).ok().and_then(place) {
            Some(place) => key.push(place),
            None => {
                key.push(u8::MAX);
                key.extend(u32::from(letter).to_be_bytes());
            }
        }
    }
    // Zero is the place of no letter: a name comes before those that it begins.
    key.push(0);
    key.extend(name.bytes().map(|byte| if byte.is_ascii_uppercase() { 2 } else { 1 }));
    key.extend(name.bytes());
    key.into()
}

fn place(letter: u8) -> Option<u8> {
    PLACES.get(usize::from(letter)).copied().filter(|place| *place > 0)
}

/// The place of each ASCII letter from 1; 0 for those without one.
const PLACES: [u8; 128] = {
    let mut places = [0; 128];
    let mut index = 0;
    while index < ASCII.len() {
        places[ASCII[index] as usize] = index as u8 + 1;
        index += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_sorted_as_in_a_dictionary() {
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
