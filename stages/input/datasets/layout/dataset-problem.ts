/** Why a dataset can't be what a task asks for. Whoever knows the task's file says in which line. */
export class DatasetProblem extends Error {
  override readonly name = 'DatasetProblem'
  /** The key of the task file that is to be mended. */
  readonly key: 'dataset_path' | 'dataset_name' | 'dataset_kwargs' | 'split'

  constructor(key: DatasetProblem['key'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.key = key
  }
}
