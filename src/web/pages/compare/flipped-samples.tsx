/** The answers of both runs to the docs on which they differ. */
import { useState } from 'preact/hooks'
import type { SampleRow } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Badge } from '../../parts/badge.js'
import { formatQuantity, formatDecimal, formatCount } from '../../../../base/text/numbers.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { sampleHash, samplesHash } from '../samples/sample-address.js'

interface FlippedProps {
  readonly source: Source
  readonly a: string
  readonly b: string
}

const step = 20

/** Lists the samples that one run answered right and the other wrong. */
export function FlippedSamples({ source, a, b }: FlippedProps) {
  const [limit, setLimit] = useState(step)
  // Flips are symmetric: A against B has the same docs as B against A, in the same order, with the answers of A.
  const { value, error } = useLoaded(JSON.stringify([a, b, limit]), async signal => {
    const [ofB, ofA] = await Promise.all([
      source.samples(b, { only: 'flipped', against: a, offset: 0, limit }, signal),
      source.samples(a, { only: 'flipped', against: b, offset: 0, limit }, signal),
    ])
    return { total: ofB.total, rows: ofB.rows, others: new Map(ofA.rows.map(row => [makeRowId(row), row])) }
  })
  return (
    <section>
      <h2>Flipped samples</h2>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {value === undefined && error === undefined && <p class="dim">Loading…</p>}
      {value?.total === 0 && <p>No sample flipped.</p>}
      {value !== undefined && value.total > 0 && (
        <>
          <p>
            {formatQuantity(value.total, 'sample')} flipped.{' '}
            <a href={samplesHash(b, { only: 'flipped', against: a })}>Show them with all filters</a>
          </p>
          <TableBox
            label="Flipped samples side by side"
            columns={[
              { title: 'Sample' },
              { title: 'B is' },
              { title: 'Prompt' },
              { title: 'Target' },
              { title: 'Answer of A' },
              { title: 'Answer of B' },
            ]}
            class="flipped"
          >
            {value.rows.map(row => (
              <FlippedRow key={makeRowId(row)} row={row} other={value.others.get(makeRowId(row))} a={a} b={b} />
            ))}
          </TableBox>
          {value.rows.length < value.total && (
            <p>
              <button type="button" onClick={() => setLimit(count => count + 5 * step)}>
                Show {formatCount(Math.min(5 * step, value.total - value.rows.length))} more
              </button>
            </p>
          )}
        </>
      )}
    </section>
  )
}

const makeRowId = ({ taskName, id }: SampleRow): string => JSON.stringify([taskName, id])

interface RowProps {
  readonly row: SampleRow
  readonly other: SampleRow | undefined
  readonly a: string
  readonly b: string
}

function FlippedRow({ row, other, a, b }: RowProps) {
  const { id, taskName, isRight, prompt, target, answer, value } = row
  const otherValue = row.otherValue ?? other?.value ?? null
  return (
    <tr>
      <th scope="row">
        <a href={sampleHash(b, row, { only: 'flipped', against: a })}>{formatLine(id, 60)}</a>
        <div class="dim small">{formatLine(taskName, 60)}</div>
      </th>
      <td>
        {isRight === null ? (
          <span class="numbers">
            {formatDecimal(otherValue)} → {formatDecimal(value)}
          </span>
        ) : (
          <Badge tone={isRight ? 'good' : 'bad'} text={isRight ? 'better' : 'worse'} />
        )}
      </td>
      <td class="text">{formatLine(prompt)}</td>
      <td class="text">{formatLine(target)}</td>
      <td class="text">{other === undefined ? <span class="dim">open the sample</span> : formatLine(other.answer)}</td>
      <td class="text">{formatLine(answer)}</td>
    </tr>
  )
}
