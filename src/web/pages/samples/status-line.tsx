/** Shows the number of samples, the reader's position among them, and the progress of filters. */
import { useState } from 'preact/hooks'
import type { SampleFilter, SampleRows } from '../../../present/page/data/index.js'
import { formatCount } from '../../../../base/text/numbers.js'
import { comparedKinds } from '../../../reading/samples/sample-kinds.js'
import { CopyButton } from '../../parts/copy-button.js'
import { visibleText } from '../../parts/safe-text.js'
import { kindNames } from './sample-address.js'

interface StatusLineProps {
  readonly run: string
  readonly filter: SampleFilter
  readonly selected: number
  readonly count: number
  readonly isLoading: boolean
  readonly prepared?: SampleRows['prepared']
  readonly problems: readonly string[]
  readonly jump: (index: number) => void
}

/** Shows the number of found samples and the current row. */
export function StatusLine({ run, filter, selected, count, isLoading, prepared, problems, jump }: StatusLineProps) {
  return (
    <div class="status-line">
      <span role="status" aria-live="polite">
        {isLoading ? 'Samples are being read…' : countText(filter, count)}
      </span>
      {count > 0 && <JumpField {...{ selected, count, jump }} />}
      {prepared !== undefined && prepared.filters < prepared.of && (
        <span class="preparing">
          Filters are ready for {formatCount(prepared.filters)} of {formatCount(prepared.of)} samples.
        </span>
      )}
      {prepared !== undefined && filter.q !== undefined && prepared.text < prepared.of && (
        <span class="preparing">
          The search is ready for {formatCount(prepared.text)} of {formatCount(prepared.of)} samples.
        </span>
      )}
      {count > 0 && <TaskCommand {...{ run, filter }} />}
      {problems.map(problem => (
        <span key={problem} class="problem" role="alert">
          {visibleText(problem)}
        </span>
      ))}
    </div>
  )
}

/** Offers the command that writes these samples as a task. Filters other than a kind have no command. */
function TaskCommand({ run, filter }: Pick<StatusLineProps, 'run' | 'filter'>) {
  const { only, against } = filter
  const isKindAlone = Object.keys(filter).every(name => ['only', 'against', 'sort', 'descending'].includes(name))
  if (only === 'all' || !isKindAlone) return null
  const compared = against === undefined || !comparedKinds.has(only) ? '' : ` --against ${against}`
  const text = `pipeline tasks new hard --from-run ${run} --samples ${only}${compared}`
  return (
    <details class="as-task">
      <summary>As a task</summary>
      <code>{text}</code> <CopyButton text={text} what="command line" />
    </details>
  )
}

/** `1,204 wrong samples` */
function countText({ only }: SampleFilter, count: number): string {
  const kind = only === 'all' ? '' : `${kindNames[only].toLowerCase()} `
  return `${formatCount(count)} ${kind}${count === 1 ? 'sample' : 'samples'}`
}

function JumpField({ selected, count, jump }: Pick<StatusLineProps, 'selected' | 'count' | 'jump'>) {
  const [typed, setTyped] = useState<string>()
  const go = (): void => {
    const wanted = Number((typed ?? '').replaceAll(',', ''))
    if (typed !== undefined && Number.isInteger(wanted) && wanted >= 1) jump(Math.min(count, wanted) - 1)
    setTyped(undefined)
  }
  return (
    <label class="jump">
      Sample{' '}
      <input
        inputMode="numeric"
        size={9}
        value={typed ?? formatCount(selected + 1)}
        onInput={event => setTyped(event.currentTarget.value)}
        onBlur={go}
        onKeyDown={event => event.key === 'Enter' && event.currentTarget.blur()}
      />{' '}
      of {formatCount(count)}
    </label>
  )
}
