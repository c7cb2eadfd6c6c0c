/**
 * The ranges that sacrebleu takes for Chinese: ideographs, radicals, strokes, full-width forms, phonetic signs, symbols.
 *
 * Two of them are not what their authors meant: U+20000–2A6D6 and U+2F800–2FA1D are written with four-digit escapes there, and so
 * stand for U+2001–2A6D and U+2F81–2FA1. Ideographs beyond U+FFFF therefore stay together, and dashes, curly quotes, arrows and
 * mathematical signs are set apart. Published scores hold this, so it is kept.
 *
 * Source: sacrebleu 2.6.0, `tokenizers/tokenizer_zh.py`.
 */
const chinese =
  /[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]/g

/** Sets each Chinese character apart by spaces. */
export const spaceChinese = (text: string): string => text.replace(chinese, ' $& ')
