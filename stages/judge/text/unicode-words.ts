/** Splits a text of any script into words, for metrics whose own words are those of ASCII. */
import { unspacedScripts } from './word-edges.js'

const inScript = new RegExp(`[${unspacedScripts}]\\p{M}*|(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const character = /[^\s\p{P}\p{S}\p{M}]\p{M}*/gu

/**
 * The words of a text in lower case. Between spaces and punctuation a run of letters, marks and digits is a word.
 * Scripts without spaces between words give their characters, as is usual for ROUGE in Chinese: dictionaries of words
 * differ between versions of ICU, and so would scores.
 */
export const unicodeWords = (text: string): readonly string[] =>
  text.normalize('NFC').toLowerCase().match(inScript) ?? []

/** The characters of a text in lower case, each with its marks, without white space, punctuation and symbols. */
export const characters = (text: string): readonly string[] =>
  text.normalize('NFC').toLowerCase().match(character) ?? []
