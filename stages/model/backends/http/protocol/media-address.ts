import { z } from 'zod'
import type { MediaPart } from '../../../../../cache/records.js'
import { affectsOutput } from '../../../define-backend.js'

/** How media come to a provider that can fetch them by itself. */
export const mediaAsArg = affectsOutput(
  z
    .enum(['bytes', 'url'])
    .default('bytes')
    .describe('how media are sent; url: by the address that the data have, if any'),
)

/** Where a provider finds a medium by itself, as it stands within quotes of JSON; `undefined` where its bytes are sent. */
export const addressOf = ({ url }: MediaPart, mediaAs: 'bytes' | 'url'): string | undefined =>
  mediaAs === 'bytes' || url === undefined ? undefined : JSON.stringify(url).slice(1, -1)

/** What a document is called where a provider wants a name: the data's own may say what is asked for, and is in no key. */
export const documentName = 'document.pdf'
