import { splitWhiteSpace } from '../../../../base/white-space.js'
import { britishSpellings } from './british-spellings.js'

const american: ReadonlyMap<string, string> = new Map(
  splitWhiteSpace(britishSpellings).map(pair => {
    const [british = '', inAmerica = ''] = pair.split(':')
    return [british, inAmerica]
  }),
)

/**
 * British spellings as American ones, word by word; words are set apart by single spaces.
 *
 * Source: openai-whisper 20250625, `normalizers/english.py`, EnglishSpellingNormalizer.
 */
export const normaliseSpelling = (text: string): string =>
  splitWhiteSpace(text)
    .map(word => american.get(word) ?? word)
    .join(' ')
