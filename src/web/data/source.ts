/** Where pages get their data: from the server of the viewer, or from the report's own file. */
import type {
  CompareView,
  KeyView,
  MediaRef,
  RunsPage,
  RunsQuery,
  RunView,
  SampleRows,
  SampleRowsQuery,
  SampleView,
} from '../../views/page-data/index.js'

/** All that a report holds. Runs are named as in addresses: `NAME`, or `NAME@2` for a judgement. */
export interface Source {
  /** What the pages may offer, beside looking. */
  readonly can: { readonly label: boolean; readonly start: boolean }
  runs(query: RunsQuery): Promise<RunsPage>
  run(name: string): Promise<RunView>
  samples(run: string, query: SampleRowsQuery, signal?: AbortSignal): Promise<SampleRows>
  sample(run: string, task: number, index: number): Promise<SampleView>
  compare(a: string, b: string): Promise<CompareView>
  key(run: string, key: string): Promise<KeyView>
  /** The address of a medium, or of a smaller picture of it; undefined if there is none. */
  mediaUrl(medium: MediaRef): string | undefined
  thumbnailUrl(medium: MediaRef, width: number): string | undefined
  /** Calls back when runs moved: with their names, or with undefined where the list itself changed. Returns what ends it. */
  watch(moved: (runs: readonly string[] | undefined) => void): () => void
}

/** What a person reads where data could not be had. */
export class SourceError extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}
