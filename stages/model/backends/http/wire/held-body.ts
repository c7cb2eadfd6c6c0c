import type { MediaDigest } from '../../../../../cache/digest.js'
import type { HeldMedia, HeldMedium } from './held-media.js'
import type { BodyPiece, MediumHead } from './media-body.js'

/** A body that is in memory until it is let go: the same bytes as those of a streamed one. */
export interface HeldBody {
  readonly length: number
  readonly parts: readonly Buffer[]
  /** @param isSent whether nobody reads it any more. */
  letGo(isSent: boolean): void
}

/** The body of `pieces` with its media in memory; nothing where they can't all be held. */
export async function heldBody(
  pieces: readonly BodyPiece[],
  heads: ReadonlyMap<MediaDigest, MediumHead>,
  media: HeldMedia,
): Promise<HeldBody | undefined> {
  const held = await Promise.all(
    pieces.map(async piece =>
      typeof piece === 'string' ? piece : media.hold(piece.part.media, heads.get(piece.part.media)?.bytes ?? 0),
    ),
  )
  const mediaHeld = held.filter((part): part is HeldMedium => typeof part === 'object')
  const letGo = (isSent: boolean): void => {
    for (const medium of mediaHeld) medium.letGo(isSent)
  }
  if (held.includes(undefined)) {
    letGo(true)
    return undefined
  }
  const parts = joined(held.filter(part => part !== undefined))
  return { length: parts.reduce((sum, { length }) => sum + length, 0), parts, letGo }
}

/** Texts that follow each other as one. */
function joined(held: readonly (string | HeldMedium)[]): readonly Buffer[] {
  const parts: Buffer[] = []
  let text = ''
  for (const part of held) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    if (text !== '') parts.push(Buffer.from(text))
    parts.push(part.base64)
    text = ''
  }
  if (text !== '') parts.push(Buffer.from(text))
  return parts
}
