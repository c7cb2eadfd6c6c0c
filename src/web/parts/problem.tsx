import type { Loaded } from '../data/use-loaded.js'

/** Why data could not be had, with a way to try again. */
export function Problem({ of: { error, reload } }: { readonly of: Pick<Loaded<unknown>, 'error' | 'reload'> }) {
  if (error === undefined) return null
  return (
    <div class="problem" role="alert">
      <p>{error}</p>
      <button type="button" onClick={reload}>
        Try again
      </button>
    </div>
  )
}
