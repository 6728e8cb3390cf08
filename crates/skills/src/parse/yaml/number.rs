//! Parses and formats numbers as JavaScript does.

/// Formats as JavaScript's `String(number)`.
pub(in crate::parse) fn js_number(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let size = number.abs();
    if (1e-6..1e21).contains(&size) {
        return format!("{number}");
    }
    // Rust writes `1e21` where JavaScript writes `1e+21`.
    let text = format!("{number:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

/// Parses an integer: decimal, octal (`0o17`) or hexadecimal (`0x1F`).
pub(super) fn integer(text: &str) -> Option<f64> {
    let radix = |digits: &str, radix: u32| {
        let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        let add =
            |sum: f64, digit: char| sum * f64::from(radix) + f64::from(digit.to_digit(radix).unwrap_or(0));
        is_number.then(|| digits.chars().fold(0.0, add))
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Parses a number with a point or an exponent, an infinity or NaN.
pub(super) fn float(text: &str) -> Option<f64> {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let are_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_mantissa = match fraction {
        Some(fraction) => {
            are_digits(whole) && are_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => exponent.is_some() && !whole.is_empty() && are_digits(whole),
    };
    let is_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && are_digits(digits)
    });
    (is_mantissa && is_exponent).then(|| text.parse().ok()).flatten()
}
