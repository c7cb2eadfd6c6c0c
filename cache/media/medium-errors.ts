import { systemCode } from '../../base/errors/errors.js'
import { command, option, storedText } from '../../base/errors/option-words.js'
import type { MediaDigest } from '../digest.js'

const repair = command('cache verify', [], { repair: true })

/** Makes the error for a medium that is missing. It has the code `ENOENT`, and fails only the docs that show the medium. */
export const missingMedium = (digest: MediaDigest, cause?: unknown): Error =>
  Object.assign(
    new Error(
      storedText(
        `medium ${digest} is not in the store (it was exported without ${option('media')}, or removed). Have its docs read again: ${repair}`,
      ),
      { cause },
    ),
    { code: 'ENOENT' },
  )

/** The error for a medium whose bytes do not match its digest. It fails only the docs that show the medium. */
export class DamagedMediumError extends Error {
  override readonly name = 'DamagedMediumError'

  /** @param where tells people where the damaged bytes are */
  constructor(digest: MediaDigest, where: string) {
    super(storedText(`medium ${digest} is damaged ${where}. Drop it with: ${repair}`))
  }
}

/** Tells whether an error means that a medium is missing or damaged, which only affects the docs that use it. */
export const isLostMedium = (error: unknown): boolean =>
  error instanceof DamagedMediumError || systemCode(error) === 'ENOENT'
