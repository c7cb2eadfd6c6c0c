/**
 * Rules that put endings with an apostrophe and words that are written together (`cannot`, `gonna`) apart.
 *
 * @param patterns.more that of `more'n`, and `wanna` that of `wanna`: the two of which NLTK's versions have different ones
 *
 * Source: NLTK, `tokenize/destructive.py`, after Robert MacIntyre's tokenizer for the Penn Treebank.
 */
export const contractions = ({ more, wanna }: { readonly more: string; readonly wanna: string }) =>
  [
    ["([^' ])('[sS]|'[mM]|'[dD]|') ", '$1 $2 '],
    ["([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", '$1 $2 '],
    ['(?i)\\b(can)(not)\\b', ' $1 $2 '],
    ["(?i)\\b(d)('ye)\\b", ' $1 $2 '],
    ['(?i)\\b(gim)(me)\\b', ' $1 $2 '],
    ['(?i)\\b(gon)(na)\\b', ' $1 $2 '],
    ['(?i)\\b(got)(ta)\\b', ' $1 $2 '],
    ['(?i)\\b(lem)(me)\\b', ' $1 $2 '],
    [more, ' $1 $2 '],
    [wanna, ' $1 $2 '],
    ["(?i) ('t)(is)\\b", ' $1 $2 '],
    ["(?i) ('t)(was)\\b", ' $1 $2 '],
  ] as const
