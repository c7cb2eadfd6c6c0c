import { useState } from 'preact/hooks'
import type { Box, MediaRef } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { Boxes, ownerNames } from './boxes.js'
import { Zoom } from './zoom.js'

/** The width that the picture is fetched with for the page. The zoom shows the whole picture. */
const pageWidth = 640

interface PictureProps {
  readonly source: Source
  readonly medium: MediaRef
  readonly boxes: readonly Box[]
}

/** A picture that opens at its full size, with boxes that can be switched off. */
export function Picture({ source, medium, boxes }: PictureProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [isBroken, setIsBroken] = useState(false)
  const [hidden, setHidden] = useState<readonly Box['of'][]>([])
  const { small, whole } = findAddresses(source, medium)
  if (small === undefined || whole === undefined) return null
  if (isBroken)
    return <p class="not-here">The picture could not be shown: its file is damaged or of an unknown kind.</p>
  const drawn = boxes.filter(({ of }) => !hidden.includes(of))
  const owners = (['target', 'answer'] as const).filter(owner => boxes.some(({ of }) => of === owner))
  return (
    <>
      <div class="picture">
        <button type="button" aria-label="Show the picture at its full size" onClick={() => setIsOpen(true)}>
          <img
            src={small}
            alt=""
            decoding="async"
            style={
              medium.width !== undefined && medium.height !== undefined
                ? { aspectRatio: `${medium.width} / ${medium.height}` }
                : {}
            }
            onError={() => setIsBroken(true)}
          />
        </button>
        <Boxes boxes={drawn} />
      </div>
      {owners.length > 0 && (
        <div class="box-switches">
          {owners.map(owner => (
            <label key={owner}>
              <input
                type="checkbox"
                checked={!hidden.includes(owner)}
                onChange={() =>
                  setHidden(old => (old.includes(owner) ? old.filter(of => of !== owner) : [...old, owner]))
                }
              />
              Boxes of the {ownerNames[owner]}
            </label>
          ))}
        </div>
      )}
      {isOpen && <Zoom pictures={[{ address: whole, boxes: drawn }]} close={() => setIsOpen(false)} />}
    </>
  )
}

/** The addresses of a picture for the page and for the zoom. */
export function findAddresses(
  source: Source,
  medium: MediaRef,
): { readonly small: string | undefined; readonly whole: string | undefined } {
  const small = source.thumbnailUrl(medium, pageWidth) ?? source.mediaUrl(medium)
  // Pictures of kinds that browsers cannot show are shown as the server makes them.
  return { small, whole: inBrowsers.has(medium.type) ? (source.mediaUrl(medium) ?? small) : small }
}

const inBrowsers: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
])
