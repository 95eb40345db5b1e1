-- The list of threads searches excerpts. A trusted extension: the owner of the database may create it, without a superuser.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
