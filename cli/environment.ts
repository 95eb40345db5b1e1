/** Environment variables: those of this process, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>
