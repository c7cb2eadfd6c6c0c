import type { Emit } from '../../../../cache/events.js'
import type { Hub } from '../hub/hub.js'

/** Where datasets may come from beside the files that a task names. The composition root gives it to the tasks that it loads. */
export interface DataAccess {
  readonly hub: Hub
  /** Takes what is unpacked. */
  readonly cacheDir: string
  /** Folders in which media are looked for, whatever the task. */
  readonly mediaRoots: readonly string[]
  /** Where lmms-eval keeps unpacked media: `$HF_HOME`, else `~/.cache/huggingface`. */
  readonly hfHome: string
  /** The commit that stands for a task's branch or tag: that of the run which is resumed or judged. */
  readonly pinned: ReadonlyMap<string, string>
  readonly emit: Emit
}
