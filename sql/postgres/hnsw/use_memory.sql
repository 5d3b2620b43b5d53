SELECT set_config('maintenance_work_mem', :memory, false)
