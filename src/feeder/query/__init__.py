"""Query: turns what a user typed into a plan, without a ranking.

Entry point: `query_plan.plan_query(request) -> QueryPlan`; read `query` first (the syntax), then
`filters` (the scope in SQL), `must_match` and `spelling`. This package never orders hits.
"""
