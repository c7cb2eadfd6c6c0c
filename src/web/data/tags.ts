/** Changes the tags of a run on the server. */
import { postJson } from './http-source.js'

/** Adds tags to a run and removes others. */
export async function changeTags(
  run: string,
  change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): Promise<void> {
  await postJson(`/runs/${encodeURIComponent(run)}/tags`, change)
}
