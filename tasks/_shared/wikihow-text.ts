import { stripWhiteSpace } from '../../base/python/white-space.js'

/**
 * Removes WikiHow's markup from a text. ` [title]` becomes the end of a sentence, and other bracketed text is
 * removed. Then two spaces become one, once.
 */
export const withoutMarkup = (text: string): string =>
  stripWhiteSpace(text)
    .replaceAll(' [title]', '. ')
    .replace(/\[[^\n]*?\]/g, '')
    .replaceAll('  ', ' ')
