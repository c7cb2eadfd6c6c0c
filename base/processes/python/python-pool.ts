import type { Json } from '../../values/canonical-json.js'
import type {
  AggregateWork,
  CallResult,
  FilterWork,
  FunctionReference,
  Loaded,
  ProcessDocsWork,
  PythonCall,
  PythonOptions,
  RenderedHooks,
  RenderWork,
  RequestOptions,
} from './python-types.js'

/** A pool of Python processes that starts them when there is work, and replaces those that die. The caller must call close(). */
export class PythonPool {
  readonly options: PythonOptions

  constructor(options: PythonOptions) {
    this.options = options
  }

  /** Imports functions and describes them. */
  load(refs: readonly FunctionReference[]): Promise<Loaded> {
    return Promise.reject(new Error(`Internal error: load is not there yet: ${refs.length}`))
  }

  /** Calls the hooks of a task on each doc. The results have the order of the docs. */
  render(work: RenderWork): Promise<readonly RenderedHooks[]> {
    return Promise.reject(new Error(`Internal error: render is not there yet: ${work.docs.length}`))
  }

  /** Calls one function many times. The results have the order of the calls. */
  call(
    ref: FunctionReference,
    calls: readonly PythonCall[],
    labels: readonly string[],
  ): Promise<readonly CallResult[]> {
    return Promise.reject(
      new Error(`Internal error: call is not there yet: ${ref.name}/${calls.length}/${labels.length}`),
    )
  }

  /** @throws PythonError if the function fails */
  aggregate(work: AggregateWork): Promise<Json> {
    return Promise.reject(new Error(`Internal error: aggregate is not there yet: ${work.ref.name}`))
  }

  /** @throws PythonError if the filter fails */
  filter(work: FilterWork): Promise<readonly (readonly Json[])[]> {
    return Promise.reject(new Error(`Internal error: filter is not there yet: ${work.ref.name}`))
  }

  /** @throws PythonError if the function fails */
  processDocs(work: ProcessDocsWork): Promise<{ readonly docs: number }> {
    return Promise.reject(new Error(`Internal error: processDocs is not there yet: ${work.ref.name}`))
  }

  /** @throws PythonError if the function fails */
  samples(ref: FunctionReference): Promise<readonly Json[]> {
    return Promise.reject(new Error(`Internal error: samples is not there yet: ${ref.name}`))
  }

  /**
   * Sends one message to one process and returns its answer.
   *
   * @throws PythonError if the operation fails, its time is over (`TimeLimit`), or the process dies (`WorkerDied`)
   */
  request(op: string, message: Readonly<Record<string, Json | undefined>>, options?: RequestOptions): Promise<Json> {
    return Promise.reject(
      new Error(`Internal error: ${op} is not there yet: ${Object.keys(message).length}${options?.label ?? ''}`),
    )
  }

  /** Ends all processes. Work under way fails. */
  close(): Promise<void> {
    return Promise.resolve()
  }
}
