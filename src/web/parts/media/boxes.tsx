/** Boxes of the target and of the answer, drawn over a picture. */
import type { Box } from '../../../views/page-data/index.js'
import { lineOf } from '../safe-text.js'
import { rectangleOf } from './box-geometry.js'

export const ownerNames = { target: 'target', answer: 'answer' } as const

/** The shapes fill the element that holds them. Names are text elements beside the drawing, so that they are never stretched. */
export function Boxes({ boxes }: { readonly boxes: readonly Box[] }) {
  const known = boxes.map(box => ({ ...box, ...rectangleOf(box) }))
  return (
    <>
      <svg class="boxes" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
        {known.map(({ of, x, y, width, height }, place) => (
          <g key={place}>
            {['box-halo', `box-${of}`].map(name => (
              <rect
                key={name}
                class={name}
                {...{ x: x * 1000, y: y * 1000, width: width * 1000, height: height * 1000 }}
              />
            ))}
          </g>
        ))}
      </svg>
      {known.map(({ of, label, x, y }, place) => (
        <span key={place} class={`box-name box-${of}`} style={{ left: `${x * 100}%`, top: `${y * 100}%` }}>
          {lineOf(label ?? ownerNames[of], 60)}
        </span>
      ))}
    </>
  )
}
