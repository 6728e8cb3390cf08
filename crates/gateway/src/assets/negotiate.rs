//! Parses `Accept-Encoding` and `If-None-Match`.
//!
//! Both headers may be repeated and may hold lists. Unreadable values are ignored.

/// Whether the client accepts the compressed form.
pub(super) fn accepts_gzip<'a>(accepted: impl Iterator<Item = &'a str>) -> bool {
    let (mut gzip, mut plain, mut any) = (None, None, None);
    for (name, weight) in accepted.flat_map(|list| list.split(',')).filter_map(parse_weighted) {
        match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => gzip = Some(weight),
            "identity" => plain = Some(weight),
            "*" => any = Some(weight),
            _ => {}
        }
    }
    let gzip = gzip.or(any).unwrap_or(0);
    gzip > 0 && gzip >= plain.unwrap_or(0)
}

/// An encoding and its weight in thousandths.
fn parse_weighted(item: &str) -> Option<(&str, u16)> {
    let mut parts = item.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = match parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q="))) {
        Some(weight) => thousandths(weight)?,
        None => 1000,
    };
    Some((name, weight))
}

/// `0`, `1`, or one of these with up to three digits after a point, and no more than 1.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, part) = weight.split_once('.').unwrap_or((weight, ""));
    let is_short = part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let part: u16 = format!("{part:0<3}").parse().ok().filter(|_| is_short)?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1000),
        _ => None,
    }
}

/// Whether the client already has the version with this tag.
pub(super) fn matches_etag<'a>(known: impl Iterator<Item = &'a str>, tag: &str) -> bool {
    let mut known = known.flat_map(|list| list.split(',')).map(str::trim);
    // Proxies weaken a tag; a weak match is enough here.
    known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_encoding_selects_compression() {
        let table: &[(&[&str], bool)] = &[
            (&[], false),
            (&[""], false),
            (&["gzip, deflate, br, zstd"], true),
            (&["br", "gzip"], true),
            (&["GZIP"], true),
            (&["x-gzip"], true),
            (&["br"], false),
            (&["*"], true),
            (&["*;q=0"], false),
            (&["gzip;q=0, *"], false),
            (&["*;q=0, gzip;q=0.001"], true),
            (&["gzip;q=0"], false),
            (&["gzip;q=0.000"], false),
            (&["gzip ; Q=0.5"], true),
            (&["identity, gzip;q=0.5"], false),
            (&["identity;q=0.5, gzip"], true),
            (&["identity;q=0"], false),
            (&["gzip;q=2"], false),
            (&["gzip;q=-1"], false),
            (&["gzip;q=0.0001"], false),
            (&["gzip;q=é"], false),
            (&[";;,,;q=1"], false),
        ];
        for (accepted, expected) in table {
            assert_eq!(accepts_gzip(accepted.iter().copied()), *expected, "{accepted:?}");
        }
    }

    #[test]
    fn if_none_match_compares_tags() {
        let table: &[(&[&str], bool)] = &[
            (&[], false),
            (&["\"a\""], true),
            (&["\"b\", \"a\""], true),
            (&["\"b\"", "\"a\""], true),
            (&["W/\"a\""], true),
            (&["*"], true),
            (&["a"], false),
            (&["\"a-gzip\""], false),
            (&["\"b\""], false),
        ];
        for (known, expected) in table {
            assert_eq!(matches_etag(known.iter().copied(), "\"a\""), *expected, "{known:?}");
        }
    }
}
