#include "src/interrupt.hpp"

#include <signal.h>

namespace redbench {
namespace {

volatile sig_atomic_t caught = 0;
int watches = 0;
struct sigaction interrupt_before, terminate_before;  // the outermost watch

}  // namespace

InterruptWatch::InterruptWatch() {
  if (watches++ > 0) return;
  caught = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { caught = 1; };
  ::sigaction(SIGINT, &action, &interrupt_before);
  ::sigaction(SIGTERM, &action, &terminate_before);
}

InterruptWatch::~InterruptWatch() {
  if (--watches > 0) return;
  ::sigaction(SIGINT, &interrupt_before, nullptr);
  ::sigaction(SIGTERM, &terminate_before, nullptr);
}

bool InterruptWatch::interrupted() { return caught; }

}  // namespace redbench
