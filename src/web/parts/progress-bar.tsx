import type { RunProgress } from '../../views/page-data/index.js'
import { grouped, percent } from '../../report/layout/numbers.js'

/** How many of a run's requests are answered, as a bar and in words. */
export function RunProgressBar({ progress }: { readonly progress: RunProgress }) {
  const { requests, answered, failed } = progress
  const words = `${grouped(answered)} of ${grouped(requests)} answered`
  return (
    <span class="progress">
      <progress max={Math.max(1, requests)} value={answered} aria-label={words}>
        {percent(answered, requests)}
      </progress>
      <span class="numbers">
        {percent(answered, requests)}
        {failed > 0 && <span class="bad"> · {grouped(failed)} failed</span>}
      </span>
    </span>
  )
}
