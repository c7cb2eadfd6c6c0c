/** Boxes of the target and of the answer, drawn over a picture. */
import type { Box } from '../../../present/page/data/index.js'
import { formatLine } from '../safe-text.js'
import { computeRectangle } from './box-geometry.js'

/** The names of the owners of boxes. */
export const ownerNames = { target: 'target', answer: 'answer' } as const

/** The shapes fill the element that holds them. Names are text elements beside the drawing, so that they are never stretched. */
export function Boxes({ boxes }: { readonly boxes: readonly Box[] }) {
  const rectangles = boxes.map(box => ({ ...box, ...computeRectangle(box) }))
  return (
    <>
      <svg class="boxes" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
        {rectangles.map(({ of, x, y, width, height }, index) => (
          <g key={index}>
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
      {rectangles.map(({ of, label, x, y }, index) => (
        <span key={index} class={`box-name box-${of}`} style={{ left: `${x * 100}%`, top: `${y * 100}%` }}>
          {formatLine(label ?? ownerNames[of], 60)}
        </span>
      ))}
    </>
  )
}
