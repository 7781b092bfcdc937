// Every view of the page, by its address.
export const views = {
  events: '', detail: '?q=type:sqli', overview: '?view=overview', report: '?view=report', try: '?view=try', syslog: '?view=settings&section=syslog',
  'syslog-target': '?view=settings&section=syslog&target=new', sites: '?view=settings&section=sites', exceptions: '?view=settings&section=exceptions',
  lists: '?view=settings&section=lists', rules: '?view=settings&section=rules', users: '?view=settings&section=users', tokens: '?view=settings&section=tokens',
  notify: '?view=settings&section=notify', system: '?view=settings&section=system', history: '?view=settings&section=history', audit: '?view=settings&section=audit', account: '?view=account',
  attackers: '?group=attackers', source: '?view=source&src=203.0.113.7', tuning: '?group=tuning', pinned: '?group=pinned',
};
