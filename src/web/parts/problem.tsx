import type { Loaded } from '../data/use-loaded.js'

/** Shows why data could not be loaded, with a button to try again. */
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
