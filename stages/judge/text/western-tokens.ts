/**
 * Sets the punctuation of Western text apart by spaces, the apostrophe excepted; period and comma unless a digit stands on that
 * side, a dash only behind a digit.
 *
 * Source: NIST `mteval-v13a.pl`, tokenization, the language-dependent part, as in sacrebleu 2.6.0.
 */
export const spaceWestern = (text: string): string => spaceNumberSigns(spacePunctuation(text))

/** The first part of {@link spaceWestern}: ASCII punctuation and symbols but `'`, `,`, `-` and `.`. */
export const spacePunctuation = (text: string): string => text.replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')

/** The second part of {@link spaceWestern}: period, comma and dash by the digits beside them. */
export const spaceNumberSigns = (text: string): string =>
  text
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])-/g, '$1 - ')

/** What stands for `"`, `&`, `<` and `>` in SGML, one after the other, so that `&amp;lt;` is `<`. */
export const unescapeMarkup = (text: string): string =>
  text.includes('&')
    ? text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    : text
