// The workers' counters as the console shows them.
#pragma once

#include "console/base/status.h"
#include "ingest/io/ingest.h"

namespace wafd {

console::StatusReport status_report(const ingest::IngestCounters& counters, const ingest::Ingest& ingest,
                                    const ingest::IngestOptions& options, std::size_t rules);

}  // namespace wafd
