import type { RunView } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { StateBadge } from '../../parts/badge.js'
import { formatQuantity, dateTime, formatCount } from '../../../../base/text/numbers.js'
import { RunProgressBar } from '../../parts/progress-bar.js'
import { formatLine } from '../../parts/safe-text.js'
import { TagList } from '../../parts/tag-list.js'
import { go, formatHash } from '../../routing/address.js'
import { samplesHash } from '../samples/sample-address.js'

interface RunHeaderProps {
  readonly view: RunView
  readonly reference: string
  readonly can: Source['can']
}

/** Shows the run's name, its progress, and links to its other pages. */
export function RunHeader({ view, reference, can }: RunHeaderProps) {
  const { name, title, note, model, state, progress, created, tags } = view
  const { docs, requests, failed, scored } = progress
  return (
    <header class="run-header">
      <div class="title-line">
        <h1>{formatLine(title === undefined ? name : `${name} · ${title}`)}</h1>
        <StateBadge state={state} />
        {state !== 'complete' && <RunProgressBar progress={progress} />}
      </div>
      <p class="run-facts">
        <span>{formatLine(model)}</span>
        <time dateTime={created}>{dateTime(created)}</time>
        <span>{formatQuantity(docs, 'doc')}</span>
        <span>{formatQuantity(requests, 'request')}</span>
        {scored < docs && <span>{formatCount(scored)} scored</span>}
        {failed > 0 && <span class="bad">{formatCount(failed)} failed</span>}
        {(tags.length > 0 || can.label) && <TagList run={name} tags={tags} canChange={can.label} />}
      </p>
      {note !== undefined && <p>{formatLine(note, 1000)}</p>}
      <div class="actions">
        <a class="button" href={samplesHash(reference, { only: 'all' })}>
          Samples
        </a>
        {scored > 0 && (
          <a class="button" href={samplesHash(reference, { only: 'wrong' })}>
            Wrong samples
          </a>
        )}
        <a class="button" href={formatHash(['compare'], { b: reference })}>
          Compare
        </a>
        {can.plan && scored > 0 && (
          <a class="button" href={formatHash(['planning'], { run: reference })}>
            Plan
          </a>
        )}
        {can.plan && scored > 0 && (
          <a class="button" href={formatHash(['runs', reference, 'calibration'])}>
            Judge and labels
          </a>
        )}
        {can.plan && requests > docs && (
          <a class="button" href={formatHash(['runs', reference, 'stability'])}>
            Stability
          </a>
        )}
        {can.start && (
          <a class="button" href={formatHash(['new'], { from: name })}>
            Duplicate run
          </a>
        )}
        <Judgements view={view} />
      </div>
    </header>
  )
}

function Judgements({ view: { name, judgement, judgements } }: { readonly view: RunView }) {
  if (judgements.length < 2) return null
  return (
    <label>
      Judgement{' '}
      <select
        value={judgement ?? undefined}
        onChange={event => go(formatHash(['runs', `${name}@${event.currentTarget.value}`]))}
      >
        {judgements.map(number => (
          <option key={number} value={number}>
            @{number}
          </option>
        ))}
      </select>
    </label>
  )
}
