/** The cells of the table of docs and runs. On a narrow screen a doc is a card with a line for each run. */
import type { ComparedRun, DocCell, DocRow, SampleFilter } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { OutcomeBadge } from '../../parts/badge.js'
import { HitLine, useSearch } from '../../parts/hits.js'
import { formatLine } from '../../parts/safe-text.js'
import { formatHash } from '../../routing/address.js'
import { valueText } from '../samples/list-columns.js'
import { sampleHash } from '../samples/sample-address.js'
import { Thumbnail } from '../samples/thumbnail.js'

/** The height of a row in pixels. */
export const docRowHeight = (isNarrow: boolean, runs: number): number => (isNarrow ? 104 + 34 * runs : 104)

/** Shows the runs as titles of columns. */
export const DocsHeader = ({ runs }: { readonly runs: readonly ComparedRun[] }) => (
  <div class="doc-cells doc-header" role="presentation">
    <span role="columnheader" aria-colindex={1} class="cell-doc">
      Doc
    </span>
    {runs.map((run, index) => (
      <span
        key={run.name}
        role="columnheader"
        aria-colindex={index + 2}
        class="cell-run"
        title={formatLine(run.model, 300)}
      >
        <a href={formatHash(['runs', run.name])} tabIndex={-1}>
          {formatLine(run.title ?? run.name, 60)}
        </a>
        <span class="dim">{formatLine(run.model, 80)}</span>
      </span>
    ))}
  </div>
)

interface DocCellsProps {
  readonly source: Source
  readonly runs: readonly ComparedRun[]
  readonly isNarrow: boolean
  /** Whether the docs are of several tasks. */
  readonly hasTasks: boolean
  /** Undefined until it is loaded. */
  readonly row: DocRow | undefined
}

/** Shows one doc with its answers. */
export function DocCells({ source, runs, isNarrow, hasTasks, row }: DocCellsProps) {
  if (row === undefined)
    return (
      <div class="doc-cells" role="presentation">
        <span role="gridcell" class="cell-doc">
          <span class="placeholder" />
        </span>
      </div>
    )
  const { id, taskName, prompt, target, medium, right, scored, cells } = row
  return (
    <div class={`doc-cells ${isNarrow ? 'is-card' : ''}`} role="presentation">
      <span role="gridcell" aria-colindex={1} class="cell-doc">
        {medium !== undefined && <Thumbnail source={source} medium={medium} width={160} />}
        <span class="doc-text">
          <span class="doc-line">
            <b>
              <HitLine text={id} characters={60} />
            </b>{' '}
            <span class="numbers dim">
              {right} of {scored} right
            </span>
          </span>
          {hasTasks && <span class="doc-task dim">{formatLine(taskName, 60)}</span>}
          <span class="doc-prompt" dir="auto" title={formatLine(prompt, 400)}>
            <HitLine text={prompt} />
          </span>
          <span class="doc-target" dir="auto" title={formatLine(target, 400)}>
            <span class="dim">Target</span> <HitLine text={target} />
          </span>
        </span>
      </span>
      {cells.map((cell, index) => (
        <span
          key={index}
          role="gridcell"
          aria-colindex={index + 2}
          class={`cell-run is-${cell === null ? 'absent' : chooseTone(cell)}`}
        >
          {isNarrow && <span class="run-name">{formatLine(runs[index]?.title ?? runs[index]?.name ?? '', 60)}</span>}
          {cell === null ? (
            <span class="dim">not in this run</span>
          ) : (
            <RunCell cell={cell} run={runs[index]?.name ?? ''} id={id} />
          )}
        </span>
      ))}
    </div>
  )
}

function RunCell({ cell, run, id }: { readonly cell: DocCell; readonly run: string; readonly id: string }) {
  const search = useSearch()
  const isPlain = cell.value === null || cell.value === 0 || cell.value === 1
  return (
    <>
      <a class="outcome" href={sampleHash(run, cell, searchFilter(search))} tabIndex={-1}>
        <OutcomeBadge outcome={cell.outcome} isRight={cell.isRight} />
        {!isPlain && <span class="numbers">{valueText(cell.value)}</span>}
        <span class="unseen">{formatLine(`: ${id} in ${run}`, 200)}</span>
      </a>
      <span class="answer-text" dir="auto" title={formatLine(cell.answer, 400)}>
        {cell.answer === '' ? (
          <span class="dim">{cell.empty === true ? 'empty answer' : ''}</span>
        ) : (
          <>
            {cell.extracted !== undefined && (
              <>
                <b class="extracted">
                  <HitLine text={cell.extracted} characters={80} />
                </b>{' '}
              </>
            )}
            <span class={cell.extracted === undefined ? '' : 'dim'}>
              <HitLine text={cell.answer} />
            </span>
          </>
        )}
      </span>
    </>
  )
}

/** The list that a sample is opened in: the samples that the search finds. */
export const searchFilter = (search: string | undefined): SampleFilter => ({
  only: 'all',
  ...(search !== undefined && search !== '' && { q: search }),
})

/** The colour repeats what the badge says. */
function chooseTone({ outcome, isRight }: DocCell): string {
  if (outcome === 'scored') return isRight === null ? 'plain' : isRight ? 'right' : 'wrong'
  return outcome === 'failed' || outcome === 'error' ? 'failed' : 'unsure'
}
