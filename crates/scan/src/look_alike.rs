//! Confusable letters of other scripts: enough of Unicode's table to read disguised keywords. Compatibility forms (wide,
//! mathematical, circled letters) are handled by normalization.

/// The Latin letter that a letter of another script looks like.
pub(crate) fn look_alike(character: char) -> Option<char> {
    Some(match character {
        'а' | 'А' | 'α' | 'Α' | 'ᴀ' | 'Ꭺ' | 'ɑ' => 'a',
        'В' | 'Β' | 'ь' | 'ʙ' | 'Ᏼ' => 'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' | 'ᴄ' | 'Ꮯ' => 'c',
        'ԁ' | 'ᴅ' | 'Ꭰ' | 'ժ' => 'd',
        'е' | 'Е' | 'Ε' | 'ε' | 'ᴇ' | 'Ꭼ' | 'ҽ' => 'e',
        'Ϝ' | 'ꜰ' | 'ք' => 'f',
        'ɡ' | 'ɢ' | 'Ԍ' | 'Ꮐ' | 'ց' => 'g',
        'һ' | 'Н' | 'Η' | 'ʜ' | 'Ꮋ' | 'հ' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' | 'ɪ' | 'ӏ' | 'Ӏ' | 'Ꭵ' => 'i',
        'ј' | 'Ј' | 'ᴊ' | 'Ꭻ' | 'ϳ' => 'j',
        'к' | 'К' | 'κ' | 'Κ' | 'ᴋ' | 'Ꮶ' => 'k',
        'ʟ' | 'Ꮮ' | 'ꓡ' => 'l',
        'М' | 'м' | 'Μ' | 'ᴍ' | 'Ꮇ' => 'm',
        'Ν' | 'ɴ' | 'ո' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'ᴏ' | 'օ' | 'σ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' | 'ᴘ' | 'Ꮲ' => 'p',
        'ԛ' | 'զ' => 'q',
        'г' | 'ʀ' | 'Ꮢ' => 'r',
        'ѕ' | 'Ѕ' | 'ꜱ' | 'Ꮪ' => 's',
        'Т' | 'т' | 'Τ' | 'τ' | 'ᴛ' | 'Ꭲ' => 't',
        'ᴜ' | 'υ' | 'ս' => 'u',
        'ν' | 'ѵ' | 'ᴠ' | 'Ꮩ' => 'v',
        'ԝ' | 'ᴡ' | 'Ꮃ' | 'ѡ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'Υ' | 'ʏ' | 'γ' => 'y',
        'Ζ' | 'ᴢ' | 'Ꮓ' => 'z',
        _ => return None,
    })
}
