import type { ResponseKey } from '../../../cache/digest.js'

/** Digits of a key that tell it apart from all others, and fit beside the batch's name into the 64 characters that providers take. */
const keyDigits = 48

/** The name of a request in a batch: it tells both whose batch it is and whose answer. */
export const customId = (batch: string, key: ResponseKey): string => `${batch}-${key.slice(7, 7 + keyDigits)}`

/** How the key begins whose answer this is; undefined where it is of another batch. */
export function keyIn(id: string, batch: string): string | undefined {
  const [, name, digits] = /^([0-9a-f]{12})-([0-9a-f]{48})$/.exec(id) ?? []
  return name === batch ? digits : undefined
}

/** A name that no other batch has. @param random in [0, 1) */
export function batchName(random: () => number): string {
  const half = (): string =>
    Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, '0')
  return half() + half()
}
