//! Parses JSON5 numbers: sign, hexadecimal, a dot at either end, exponents.

use serde_json::Number;

use super::{JsonDialect, SyntaxErrorKind};

/// Parses the number at the start of `text` and returns it with its length; an error is an offset and a kind.
pub(super) fn parse(text: &str, dialect: JsonDialect) -> Result<(Number, usize), (usize, SyntaxErrorKind)> {
    let bytes = text.as_bytes();
    let strict = dialect == JsonDialect::Json;
    let sign = match bytes.first() {
        Some(b'-') => 1,
        Some(b'+') if strict => return Err((0, SyntaxErrorKind::Plus)),
        Some(b'+') => 1,
        _ => 0,
    };
    let negative = bytes.first() == Some(&b'-');
    let unsigned = &text[sign..];
    if !strict && (unsigned.starts_with("Infinity") || unsigned.starts_with("NaN")) {
        return Err((0, SyntaxErrorKind::NotFinite));
    }
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        if strict {
            return Err((0, SyntaxErrorKind::Hexadecimal));
        }
        return hexadecimal(unsigned, negative)
            .map(|(number, length)| (number, sign + length))
            .map_err(|(at, kind)| (sign + at, kind));
    }
    decimal(text, sign, strict)
}

fn hexadecimal(text: &str, negative: bool) -> Result<(Number, usize), (usize, SyntaxErrorKind)> {
    let digits = &text[2..];
    let length = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
    if length == 0 {
        return Err((2, SyntaxErrorKind::NoHexDigit));
    }
    let digits = &digits[..length];
    let number = match u64::from_str_radix(digits, 16) {
        Ok(value) if !negative => Some(Number::from(value)),
        Ok(value) if i64::try_from(value).is_ok() => {
            i64::try_from(value).ok().map(|value| Number::from(-value))
        }
        _ => {
            let size = digits.bytes().fold(0.0, |sum: f64, byte| {
                sum.mul_add(16.0, f64::from(char::from(byte).to_digit(16).unwrap_or_default()))
            });
            Number::from_f64(if negative { -size } else { size })
        }
    };
    number.map(|number| (number, 2 + length)).ok_or((0, SyntaxErrorKind::NumberTooLarge))
}

fn decimal(text: &str, sign: usize, strict: bool) -> Result<(Number, usize), (usize, SyntaxErrorKind)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = sign;
    let whole = digits(at);
    if whole > 1 && bytes[at] == b'0' {
        return Err((at, SyntaxErrorKind::LeadingZero));
    }
    at += whole;
    let mut integer = true;
    if bytes.get(at) == Some(&b'.') {
        integer = false;
        let fraction = digits(at + 1);
        if whole + fraction == 0 || (strict && (whole == 0 || fraction == 0)) {
            return Err((at, SyntaxErrorKind::PointWithoutDigit));
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return Err((at, SyntaxErrorKind::NoDigit));
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        integer = false;
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return Err((at, SyntaxErrorKind::NoExponentDigit));
        }
        at += exponent;
    }
    let plain = text[..at].strip_prefix('+').unwrap_or(&text[..at]);
    let exact = integer
        .then(|| {
            plain.parse::<i64>().map(Number::from).or_else(|_| plain.parse::<u64>().map(Number::from)).ok()
        })
        .flatten();
    // `f64::from_str` accepts every form that gets here: `5.`, `.5`, `5.e3`.
    let number = exact.or_else(|| plain.parse().ok().and_then(Number::from_f64));
    number.map(|number| (number, at)).ok_or((0, SyntaxErrorKind::NumberTooLarge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_numbers_are_rejected() {
        let table = [
            ("01", "JSON5 JSON"),
            (".", "JSON5 JSON"),
            ("-", "JSON5 JSON"),
            ("+-1", "JSON5 JSON"),
            ("1e", "JSON5 JSON"),
            ("1e+", "JSON5 JSON"),
            ("1e999", "JSON5 JSON"),
            ("0x", "JSON5 JSON"),
            ("-Infinity", "JSON5 JSON"),
            ("NaN", "JSON5 JSON"),
            ("+1", "JSON"),
            (".5", "JSON"),
            ("5.", "JSON"),
            ("0x1F", "JSON"),
        ];
        for (text, refused_in) in table {
            assert!(parse(text, JsonDialect::Json).is_err(), "{text}");
            assert_eq!(parse(text, JsonDialect::Json5).is_err(), refused_in.contains("JSON5"), "{text}");
        }
    }

    #[test]
    fn every_notation_parses_to_its_value() {
        let float = |value| Number::from_f64(value).unwrap();
        let table = [
            ("0", Number::from(0), 1),
            ("-12,", Number::from(-12), 3),
            ("+7", Number::from(7), 2),
            (".5", float(0.5), 2),
            ("5.", float(5.0), 2),
            ("5.e3", float(5000.0), 4),
            ("2.50", float(2.5), 4),
            ("1E-2]", float(0.01), 4),
            ("0xFf", Number::from(255), 4),
            ("-0x10", Number::from(-16), 5),
            ("18446744073709551615", Number::from(u64::MAX), 20),
            ("18446744073709551616", float(18_446_744_073_709_551_616.0), 20),
            ("0x10000000000000000", float(18_446_744_073_709_551_616.0), 19),
            ("-0xFFFFFFFFFFFFFFFF", float(-18_446_744_073_709_551_615.0), 19),
        ];
        for (text, number, length) in table {
            assert_eq!(parse(text, JsonDialect::Json5), Ok((number, length)), "{text}");
        }
    }
}
