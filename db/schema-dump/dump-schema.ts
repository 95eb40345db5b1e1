import type { Queryable } from '../client'

/** Relations, functions and types of the application: everything in `public`. Drizzle's own ledger is not part of it. */
const SECTIONS: { title: string; query: string }[] = [
  {
    title: 'extensions',
    query: `select 'CREATE EXTENSION ' || quote_ident(extname) || ';' as text
      from pg_extension where extname <> 'plpgsql' order by extname`,
  },
  {
    title: 'types',
    query: `select format('CREATE TYPE %I AS ENUM (%s);', t.typname,
        string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)) as text
      from pg_type t join pg_enum e on e.enumtypid = t.oid
      where t.typnamespace = 'public'::regnamespace group by t.typname order by t.typname`,
  },
  {
    title: 'functions',
    query: `select rtrim(pg_get_functiondef(oid), E'\\n') || ';' as text
      from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
      order by proname, pg_get_function_identity_arguments(oid)`,
  },
  {
    title: 'sequences',
    query: `select format('CREATE SEQUENCE %I AS %s START %s INCREMENT %s MAXVALUE %s CACHE %s OWNED BY %s;', c.relname,
        format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmax, s.seqcache,
        coalesce((select d.refobjid::regclass::text || '.' || a.attname from pg_depend d
          join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')), 'NONE')) as text
      from pg_sequence s join pg_class c on c.oid = s.seqrelid
      where c.relnamespace = 'public'::regnamespace order by c.relname`,
  },
  {
    title: 'tables',
    query: `select format(E'CREATE %sTABLE %I (\\n%s\\n)%s%s;', case c.relpersistence when 'u' then 'UNLOGGED ' else '' end, c.relname,
        (select string_agg('  ' || part, E',\\n' order by rank, n) from (
          select 1 as rank, a.attnum as n, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
            case when a.attstorage <> t.typstorage then 'STORAGE ' || a.attstorage::text end,
            case when a.attcompression <> '' then 'COMPRESSION ' || a.attcompression::text end,
            case when a.attcollation <> t.typcollation then 'COLLATE ' || a.attcollation::regcollation end,
            case when a.attidentity <> '' then 'GENERATED ' || a.attidentity::text || ' AS IDENTITY' end,
            case when a.attgenerated <> '' then 'GENERATED (' || pg_get_expr(d.adbin, d.adrelid) || ')'
              else 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) end,
            case when a.attnotnull then 'NOT NULL' end) as part
          from pg_attribute a join pg_type t on t.oid = a.atttypid
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          union all
          select 2, row_number() over (order by contype, conname),
            format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
          from pg_constraint where conrelid = c.oid and contype <> 'n') parts),
        case when c.relkind = 'p' then ' PARTITION BY ' || pg_get_partkeydef(c.oid) else '' end,
        case when c.reloptions is null then ''
          else ' WITH (' || array_to_string(array(select unnest(c.reloptions) order by 1), ', ') || ')' end) as text
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname`,
  },
  {
    title: 'indexes that no constraint made',
    query: `select pg_get_indexdef(i.indexrelid) || ';' as text from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'public'::regnamespace
        and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      order by i.indrelid::regclass::text, c.relname`,
  },
  {
    title: 'triggers',
    query: `select pg_get_triggerdef(t.oid) || ';' as text from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by c.relname, t.tgname`,
  },
  {
    title: 'views',
    query: `select format(E'CREATE %sVIEW %I AS\\n%s', case relkind when 'm' then 'MATERIALIZED ' else '' end, relname,
        pg_get_viewdef(oid, true)) as text
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm') order by relname`,
  },
]

/** The schema of a database as readable SQL, the same text for the same schema. Made to be compared, not to be run. */
export async function dumpSchema({ sql }: Queryable): Promise<string> {
  const parts = ['-- The schema after all migrations. Written by `npm run db:schema`; a test compares it. Do not edit.']
  for (const { title, query } of SECTIONS) {
    const rows = await sql.unsafe<{ text: string }[]>(query)
    if (rows.length > 0) parts.push(`-- ${title}`, ...rows.map(({ text }) => text))
  }
  return `${parts.join('\n\n')}\n`
}
