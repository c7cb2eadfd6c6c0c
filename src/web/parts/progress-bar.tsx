import type { RunProgress } from '../../present/page/data/index.js'
import { formatCount, percent } from '../../../base/text/numbers.js'

/** Shows the number of a run's answered requests, as a bar and in words. */
export function RunProgressBar({ progress }: { readonly progress: RunProgress }) {
  const { requests, answered, failed } = progress
  const words = `${formatCount(answered)} of ${formatCount(requests)} answered`
  return (
    <span class="progress">
      <progress max={Math.max(1, requests)} value={answered} aria-label={words}>
        {percent(answered, requests)}
      </progress>
      <span class="numbers">
        {percent(answered, requests)}
        {failed > 0 && <span class="bad"> · {formatCount(failed)} failed</span>}
      </span>
    </span>
  )
}
