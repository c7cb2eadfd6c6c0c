/** The object without some of its fields. */
export const without = <T extends object, K extends keyof T & string>(of: T, ...names: readonly K[]): Omit<T, K> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !names.some(each => each === name))) as Omit<T, K>
