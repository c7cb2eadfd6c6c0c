import { useState } from 'preact/hooks'
import type { MediaRef } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { kindNames } from '../../parts/media/medium.js'

interface ThumbnailProps {
  readonly source: Source
  readonly medium: MediaRef
  readonly width: number
}

/** Shows a thumbnail of a medium, or the name of its kind. */
export function Thumbnail({ source, medium, width }: ThumbnailProps) {
  const [isBroken, setIsBroken] = useState(false)
  const address = source.thumbnailUrl(medium, width)
  if (address === undefined || isBroken)
    return <span class="thumbnail-word">{medium.isMissing === true ? 'missing' : kindNames[medium.kind]}</span>
  return (
    <img class="thumbnail" src={address} alt="" decoding="async" draggable={false} onError={() => setIsBroken(true)} />
  )
}
