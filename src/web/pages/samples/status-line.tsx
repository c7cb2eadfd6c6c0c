/** How many samples there are, where the reader is among them, and how far filters are prepared. */
import { useState } from 'preact/hooks'
import type { SampleFilter, SampleRows } from '../../../views/page-data/index.js'
import { grouped } from '../../../report/layout/numbers.js'
import { visibleText } from '../../parts/safe-text.js'
import { kindNames } from './sample-address.js'

interface StatusLineProps {
  readonly filter: SampleFilter
  readonly selected: number
  readonly count: number
  readonly isLoading: boolean
  readonly prepared?: SampleRows['prepared']
  readonly problems: readonly string[]
  readonly jump: (index: number) => void
}

export function StatusLine({ filter, selected, count, isLoading, prepared, problems, jump }: StatusLineProps) {
  return (
    <div class="status-line">
      <span role="status" aria-live="polite">
        {isLoading ? 'Samples are being read…' : countText(filter, count)}
      </span>
      {count > 0 && <JumpField {...{ selected, count, jump }} />}
      {prepared !== undefined && prepared.filters < prepared.of && (
        <span class="preparing">
          Filters are ready for {grouped(prepared.filters)} of {grouped(prepared.of)} samples.
        </span>
      )}
      {prepared !== undefined && filter.q !== undefined && prepared.text < prepared.of && (
        <span class="preparing">
          The search is ready for {grouped(prepared.text)} of {grouped(prepared.of)} samples.
        </span>
      )}
      {problems.map(problem => (
        <span key={problem} class="problem" role="alert">
          {visibleText(problem)}
        </span>
      ))}
    </div>
  )
}

/** `1,204 wrong samples` */
export function countText({ only }: SampleFilter, count: number): string {
  const kind = only === 'all' ? '' : `${kindNames[only].toLowerCase()} `
  return `${grouped(count)} ${kind}${count === 1 ? 'sample' : 'samples'}`
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
        value={typed ?? grouped(selected + 1)}
        onInput={event => setTyped(event.currentTarget.value)}
        onBlur={go}
        onKeyDown={event => event.key === 'Enter' && event.currentTarget.blur()}
      />{' '}
      of {grouped(count)}
    </label>
  )
}
