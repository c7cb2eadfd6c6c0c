import { stripWhiteSpace } from '../../base/python/white-space.js'

/**
 * A text without what pages of WikiHow left in it: ` [title]` ends a sentence, other brackets and what is in them go, and two spaces become
 * one, once.
 */
export const withoutMarkup = (text: string): string =>
  stripWhiteSpace(text)
    .replaceAll(' [title]', '. ')
    .replace(/\[[^\n]*?\]/g, '')
    .replaceAll('  ', ' ')
