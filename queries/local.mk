# SPDX-License-Identifier: MIT
# Queries that are listed on the page of SQL, and accepted by --sql by their names.
queriesdir = $(pkgdatadir)/queries
dist_queries_DATA = \
	%D%/children.sql \
	%D%/commands.sql \
	%D%/data-by-command.sql \
	%D%/errors-by-format.sql \
	%D%/failures.sql \
	%D%/hooks.sql \
	%D%/hours.sql \
	%D%/slowest-processes.sql \
	%D%/started-by.sql \
	%D%/worktrees.sql
