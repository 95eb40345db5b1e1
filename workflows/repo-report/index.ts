import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, type Runtime, START } from 'cairn/sdk'
import * as z from 'zod'
import { gitIn } from './git'
import { findHotspots, hotspotsSchema } from './hotspots'
import { code, many } from './markdown'
import { writeReport } from './report'
import { surveyRepository } from './survey'
import { surveySchema } from './survey-data'

const input = z.object({
  path: z
    .string()
    .min(1)
    .optional()
    .describe('Absolute path of a git repository; without it, the first folder that git is granted for'),
  maxCommits: z.int().min(1).max(100_000).default(5_000).describe('How many commits of history are read, newest first'),
})

const hash = z.string().describe('Content node with the data, as JSON')

const definition = defineWorkflow({
  description: 'Reports where a git repository changes most, who knows which part, and what is large. Needs no model.',
  input,
  permissions: { exec: ['git'] },
  roles: {
    survey: defineRole({
      description: 'Reads the files at HEAD and the history, bounded, with git.',
      systemPrompt: 'Survey the repository.',
      schema: z.object({ repository: z.string(), commits: z.int(), files: z.int(), authors: z.int(), data: hash }),
      extractRefs: ({ data }) => [data],
    }),
    hotspots: defineRole({
      description: 'Works out churn and ownership from the survey.',
      systemPrompt: 'Find the hotspots.',
      schema: z.object({ busFactor: z.int(), mostChanged: z.string().nullable(), data: hash }),
      extractRefs: ({ data }) => [data],
    }),
    report: defineRole({
      description: 'Writes the report as Markdown.',
      systemPrompt: 'Write the report.',
      schema: z.object({ repository: z.string(), sections: z.int() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'survey' }],
    survey: [
      {
        condition: {
          name: 'no commits',
          description: 'The repository has no commit, so there is nothing to analyse.',
          check: ({ steps }) => {
            const last = steps.at(-1)
            return last?.role === 'survey' && last.meta.commits === 0
          },
        },
        role: 'report',
      },
      { condition: 'FALLBACK', role: 'hotspots' },
    ],
    hotspots: [{ condition: 'FALLBACK', role: 'report' }],
    report: [{ condition: 'FALLBACK', role: END }],
  },
  summarize: ({ steps }) => {
    const survey = steps.find((step) => step.role === 'survey')
    if (survey?.role !== 'survey') return 'No survey was made.'
    const { repository, commits, files } = survey.meta
    return `Reported on ${repository}: ${many(commits, 'commit')}, ${many(files, 'file')}.`
  },
})

/** The data that a step before this one stored. */
async function load<T>(schema: z.ZodType<T>, data: string, runtime: Runtime): Promise<T> {
  const text = await runtime.cas.get(data)
  if (text === null) throw new Error(`The data ${data} of an earlier step is gone: start a new thread.`)
  return schema.parse(JSON.parse(text))
}

export const descriptor = buildDescriptor(definition)

export const run = createWorkflow(definition, {
  overrides: {
    survey: async ({ input: { path, maxCommits }, runtime }) => {
      const onProgress = (text: string) => runtime.log(text, { tag: 'SVRPROGS' })
      const survey = await surveyRepository(gitIn(path, runtime), { maxCommits }, onProgress)
      const { name, commits, files, authors, notes } = survey
      const facts = `${many(commits.total, 'commit')} by ${many(authors.length, 'author')}, ${many(files.count, 'file')}.`
      return {
        output: [`Surveyed ${name}: ${facts}`, ...notes].join('\n\n'),
        meta: {
          repository: name,
          commits: commits.total,
          files: files.count,
          authors: authors.length,
          data: await runtime.cas.put(JSON.stringify(survey)),
        },
      }
    },
    hotspots: async ({ thread, runtime }) => {
      const survey = thread.steps.find((step) => step.role === 'survey')
      if (survey?.role !== 'survey') throw new Error('There is no survey to work from.')
      const found = findHotspots(await load(surveySchema, survey.meta.data, runtime))
      const mostChanged = found.hotspots[0]?.path ?? null
      const names = found.hotspots.slice(0, 5).map(({ path, commits }) => `- ${many(commits, 'commit')}: ${code(path)}`)
      return {
        output: [`Bus factor ${found.busFactor}. Most changed files:`, ...names].join('\n'),
        meta: { busFactor: found.busFactor, mostChanged, data: await runtime.cas.put(JSON.stringify(found)) },
      }
    },
    report: async ({ thread, runtime }) => {
      const survey = thread.steps.find((step) => step.role === 'survey')
      const hotspots = thread.steps.find((step) => step.role === 'hotspots')
      if (survey?.role !== 'survey') throw new Error('There is no survey to report on.')
      const found = hotspots?.role === 'hotspots' ? await load(hotspotsSchema, hotspots.meta.data, runtime) : null
      const output = writeReport(await load(surveySchema, survey.meta.data, runtime), found)
      const sections = output.match(/^## /gm)?.length ?? 0
      return { output, meta: { repository: survey.meta.repository, sections } }
    },
  },
})
