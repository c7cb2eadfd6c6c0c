import { useState } from 'preact/hooks'
import type { Scale } from '../../parts/interval-geometry.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import { usePrinting } from '../../parts/printing.js'
import { formatLine } from '../../parts/safe-text.js'
import { FigureCells } from './figure-cells.js'
import type { MetricField } from './metric-rows.js'

interface BreakdownProps {
  readonly scale: Scale
  readonly reference: string
}

/** The number of labels that are shown until the user opens the rest. */
const shownLabels = 30

/** The rows below a metric: its parts by the labels of each field. */
export function BreakdownRows({ parts, ...rest }: BreakdownProps & { readonly parts: readonly MetricField[] }) {
  return (
    <>
      {parts.map(part => (
        <FieldRows key={part.field} part={part} {...rest} />
      ))}
    </>
  )
}

function FieldRows({ part: { field, labels }, scale, reference }: BreakdownProps & { readonly part: MetricField }) {
  const [showsAll, setShowsAll] = useState(false)
  const isPrinting = usePrinting()
  const shownMetrics = showsAll || isPrinting ? labels : labels.slice(0, shownLabels)
  return (
    <>
      {shownMetrics.map(metric => (
        <tr key={metric.label} class="part">
          <th scope="row" class="dim">
            {formatLine(field)}
          </th>
          <td>{formatLine(metric.label)}</td>
          <FigureCells metric={metric} scale={scale} reference={reference} />
        </tr>
      ))}
      {shownMetrics.length < labels.length && (
        <tr class="part">
          <td colSpan={10}>
            <button type="button" onClick={() => setShowsAll(true)}>
              Show all {formatQuantity(labels.length, 'label')} of {formatLine(field)}
            </button>
          </td>
        </tr>
      )}
    </>
  )
}
