import { AttemptError } from '../../../model.js'

/**
 * Reads a medium from a `data:` address of an answer.
 *
 * @throws AttemptError for another address, because what it leads to may change
 */
export function readDataAddress(address: string): Uint8Array {
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(address) ?? []
  if (data !== undefined) return decodeMedium(data)
  throw new AttemptError(
    'media',
    `the answer names a medium by an address (${address.slice(0, 80)}), which is not downloaded: request base64`,
    { isRetryable: false },
  )
}

/** Decodes a medium in base64. */
export const decodeMedium = (base64: string): Uint8Array => Buffer.from(base64, 'base64')
