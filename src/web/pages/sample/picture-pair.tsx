import { useState } from 'preact/hooks'
import type { MediaRef, SampleView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { findAddresses } from '../../parts/media/picture.js'
import { Zoom } from '../../parts/media/zoom.js'

interface PicturePairProps {
  readonly source: Source
  /** The samples of the two runs with the names of the runs. */
  readonly sides: readonly { readonly title: string; readonly sample: SampleView }[]
}

/** Opens the pictures of two runs side by side, each with its boxes. They are zoomed and moved together. */
export function PicturePair({ source, sides }: PicturePairProps) {
  const [isOpen, setIsOpen] = useState(false)
  const pictures = sides.flatMap(({ title, sample }) => {
    const medium = findPicture(sample)
    const address = medium && findAddresses(source, medium).whole
    return address === undefined ? [] : [{ title, address, boxes: sample.boxes }]
  })
  if (pictures.length < 2) return null
  return (
    <p>
      <button type="button" onClick={() => setIsOpen(true)}>
        Compare the pictures
      </button>
      {isOpen && <Zoom pictures={pictures} close={() => setIsOpen(false)} />}
    </p>
  )
}

function findPicture({ items }: SampleView): MediaRef | undefined {
  for (const { parts } of items[0]?.messages ?? [])
    for (const part of parts) if (part.type === 'image') return part.medium
  return undefined
}
