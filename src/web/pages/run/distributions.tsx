/** Shows how scores, lengths and durations are distributed over the samples of a run. A bar leads to its samples. */
import { useEffect, useState } from 'preact/hooks'
import { formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import type { RunView, SampleFilter, SampleHistograms } from '../../../present/page/data/index.js'
import { formatRange, type Histogram, type HistogramBar } from '../../../reading/samples/number-ranges.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Choice } from '../../parts/filter-fields.js'
import { formatBar, formatMeasure, measureNames } from '../samples/measure-names.js'
import { samplesHash } from '../samples/sample-address.js'

interface DistributionsProps {
  readonly source: Source
  readonly view: RunView
  readonly reference: string
}

/** The interval of reloads while a run is being prepared, in milliseconds. */
const preparingMs = 1_000

/** Bars that have room for a number below each. */
const mostLabelled = 6

/** Shows a histogram of each number that samples of the run have. */
export function Distributions({ source, view, reference }: DistributionsProps) {
  const tasks = view.provenance.tasks.map(({ name }) => name)
  const [task, setTask] = useState('')
  const [round, setRound] = useState(0)
  // The old bars stay, and keep their links, while new ones are loaded.
  const { value: { found, filter } = {}, error } = useLoaded(
    JSON.stringify([reference, task, round, view.judgement, view.progress.scored, view.progress.answered]),
    async () => {
      const sampleFilter: SampleFilter = { only: 'all', ...(task !== '' && { task }) }
      return { found: await source.histograms(reference, sampleFilter), filter: sampleFilter }
    },
  )
  const isPreparing = found !== undefined && found.prepared.filters < found.prepared.of
  useEffect(() => {
    if (!isPreparing) return undefined
    const timer = setTimeout(() => setRound(count => count + 1), preparingMs)
    return () => clearTimeout(timer)
  }, [isPreparing, round])
  if (error !== undefined) return <p class="problem">{error}</p>
  if (found === undefined || filter === undefined || found.histograms.length === 0) return null
  return (
    <section class="distributions">
      <h2>Distributions</h2>
      <p class="dim">
        A bar leads to its samples.
        {isPreparing && ` ${preparingText(found)}`}
      </p>
      {tasks.length > 1 && <Choice name="Task" value={task} values={tasks} change={setTask} />}
      <div class="histograms">
        {found.histograms.map(histogram => (
          <HistogramFigure key={histogram.measure} {...{ histogram, filter, reference }} />
        ))}
      </div>
    </section>
  )
}

const preparingText = ({ prepared: { filters, of } }: SampleHistograms): string =>
  `${formatCount(filters)} of ${formatQuantity(of, 'sample')} are counted so far.`

interface FigureProps {
  readonly histogram: Histogram
  readonly filter: SampleFilter
  readonly reference: string
}

function HistogramFigure({ histogram: { measure, bars, missing }, filter, reference }: FigureProps) {
  const most = Math.max(...bars.map(({ samples }) => samples))
  const [first, last] = [bars[0], bars.at(-1)]
  if (first === undefined || last === undefined) return null
  // Few bars have their numbers below them, and are not as wide as the figure.
  const isLabelled = first.isExact === true && bars.length <= mostLabelled
  const describeBar = (bar: HistogramBar): string =>
    `${measureNames[measure]} ${formatBar(measure, bar)}: ${formatQuantity(bar.samples, 'sample')}`
  return (
    <figure class="histogram">
      <figcaption>
        {measureNames[measure]} <span class="dim numbers">at most {formatQuantity(most, 'sample')} a bar</span>
      </figcaption>
      <ul class={`histogram-bars ${isLabelled ? 'of-bars' : ''}`}>
        {bars.map(bar => (
          <li key={bar.from}>
            {bar.samples > 0 && (
              <a
                href={samplesHash(reference, { ...filter, ranges: { [measure]: formatRange(bar) } })}
                aria-label={describeBar(bar)}
                title={describeBar(bar)}
              >
                <span class="histogram-bar" style={{ height: `${(100 * bar.samples) / most}%` }} />
              </a>
            )}
          </li>
        ))}
      </ul>
      <div class={`histogram-axis dim numbers ${isLabelled ? 'of-bars' : ''}`} aria-hidden="true">
        {isLabelled ? (
          bars.map(({ from }) => <span key={from}>{formatMeasure(measure, from)}</span>)
        ) : (
          <>
            <span>{formatMeasure(measure, first.from)}</span>
            <span>
              {last.isExact === true ? '' : '≥ '}
              {formatMeasure(measure, last.from)}
            </span>
          </>
        )}
      </div>
      {missing > 0 && <p class="dim">{formatQuantity(missing, 'sample')} without it</p>}
    </figure>
  )
}
